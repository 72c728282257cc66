// Channel `from` of a color, or a number if `from` is -1.
float channel_of(vec4 c, int from, float number) { return from < 0 ? number : c[max(from, 0)]; }

vec4 channels(vec4 c, channels_params p) {
  return vec4(channel_of(c, p.R_in, p.R_is), channel_of(c, p.G_in, p.G_is), channel_of(c, p.B_in, p.B_is),
              channel_of(c, p.A_in, p.A_is));
}

// Input of curves: NaN and negative light become black.
float usable(float light) { return light > 0.0 ? min(light, 1e15) : 0.0; }
float usable(float light, float scale) { return light > 0.0 ? min(light * scale, 1e15) : 0.0; }

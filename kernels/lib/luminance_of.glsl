float luminance_of(vec3 light) { return dot(vec3(0.2126390059, 0.7151686788, 0.0721923154), light); }  // Rec. 709

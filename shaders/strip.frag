#version 330 core
// The texel is the colour of its pixel column; 1 - alpha is how much of it waits for a later rank, which is hatched.
flat in int v_row;
uniform sampler2D u_columns;
uniform vec2 u_origin;
uniform vec2 u_px_per_pixel;           // 1 / u_scale
uniform vec3 u_waiting;
layout(location = 0) out vec4 o_color;

void main() {
    int column = int(gl_FragCoord.x * u_px_per_pixel.x - u_origin.x);
    vec4 texel = texelFetch(u_columns, ivec2(column, v_row), 0);
    float along = fract((gl_FragCoord.x - gl_FragCoord.y) * (u_px_per_pixel.x / 6.0));  // stripes of 2 px in 6
    vec3 waiting = u_waiting * (along < 1.0 / 3.0 ? 0.5 : 1.0);
    o_color = vec4(mix(waiting, texel.rgb, texel.a), 1.0);
}

#version 330 core
// The texel is the colour of its pixel column.
flat in int v_row;
uniform sampler2D u_columns;
uniform vec2 u_origin;
uniform vec2 u_px_per_pixel;           // 1 / u_scale
layout(location = 0) out vec4 o_color;

void main() {
    int column = int(gl_FragCoord.x * u_px_per_pixel.x - u_origin.x);
    o_color = texelFetch(u_columns, ivec2(column, v_row), 0);
}

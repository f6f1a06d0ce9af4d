#version 330 core
// One quad per visible row of the timeline, as wide as the plot.
layout(location = 0) in ivec4 a_row;  // top, bottom (px below the plot's top), texture row, kind
uniform vec2 u_origin;                // of the plot, px
uniform vec2 u_scale;                 // framebuffer pixels per px
uniform vec2 u_framebuffer;           // size
uniform float u_width;                // of the plot, px
flat out ivec2 v_row_kind;
flat out vec2 v_top_bottom;           // framebuffer pixels from the top

void main() {
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
    vec2 at = u_origin + vec2(corner.x * u_width, mix(float(a_row.x), float(a_row.y), corner.y));
    v_row_kind = a_row.zw;
    v_top_bottom = (u_origin.y + vec2(a_row.xy)) * u_scale.y;
    vec2 fraction = at * u_scale / u_framebuffer;
    gl_Position = vec4(fraction.x * 2.0 - 1.0, 1.0 - fraction.y * 2.0, 0.0, 1.0);
}

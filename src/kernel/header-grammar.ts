/** What a header may be called (RFC 9110, 5.6.2). */
export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** What no value of a header may hold, as latin1 (RFC 9110, 5.5): line ends above all, which would begin another header. */
export const UNFIT_FOR_A_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** Tolerated difference of the clocks of a signed request, in seconds. */
export const SIGNATURE_TOLERANCE_SECONDS = 300

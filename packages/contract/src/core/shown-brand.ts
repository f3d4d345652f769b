import * as z from 'zod'

/** The brand as the console shows it to one account: pictures are URLs that need no login. */
export const ShownBrand = z.object({
  name: z.string(),
  logo: z.string(),
  logoDark: z.string(),
  /** Accent colour `#rrggbb`; '' for the default. */
  accent: z.string(),
  watermark: z.boolean(),
})

import * as z from 'zod'
import type { Manifest } from './engine/manifest.ts'

const DayPart = z.object({ start: z.string(), end: z.string() })
const Item = z.object({
  id: z.int(),
  adId: z.int(),
  ms: z.int(),
  weight: z.int(),
  maxPlaysPerHour: z.int(),
  from: z.int().nullable(),
  to: z.int().nullable(),
  transition: z.literal([0, 1]),
})
const Program = z.object({
  id: z.int(),
  verNo: z.int(),
  name: z.string(),
  publishedAt: z.int(),
  playMode: z.literal([1, 2, 3, 4]),
  priority: z.int(),
  insertMode: z.literal([0, 1, 2]),
  share: z.int().nullable(),
  dateFrom: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  dateTo: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  weekdays: z.int(),
  dayParts: z.array(DayPart),
  fallback: z.literal([0, 1, 2]),
  items: z.array(Item),
})
const AdFile = z.object({
  materialId: z.int(),
  sha256: z.string(),
  size: z.int(),
  mime: z.string(),
  width: z.int(),
  height: z.int(),
  codec: z.string(),
  chunks: z.array(z.string()),
})
const AdText = z.object({
  content: z.string(),
  fontSize: z.int(),
  color: z.string(),
  background: z.string(),
  align: z.literal(['left', 'center', 'right']),
  scroll: z.boolean(),
  speed: z.int(),
})
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .nullable()
const Ad = z.object({
  id: z.int(),
  verNo: z.int(),
  name: z.string(),
  type: z.literal([1, 2, 3, 4, 5, 6]),
  validFrom: day,
  validTo: day,
  approvalUntil: day,
  linkUrl: z.string().nullable(),
  text: AdText.nullable(),
  files: z.array(AdFile),
})

/** A manifest in a response of the console's calls. */
export const ManifestSchema = z.object({
  format: z.literal(1),
  zone: z.string(),
  programs: z.array(Program),
  ads: z.array(Ad),
}) satisfies z.ZodType<Manifest>

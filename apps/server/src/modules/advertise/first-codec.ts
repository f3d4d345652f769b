import { sql } from 'drizzle-orm'
import { adMaterials, ads } from './schema.ts'

/** Codec of the first file of an ad, for queries of `ads`; empty without a codec. */
export const FIRST_CODEC_SQL = sql<string>`coalesce((select m.codec from ${adMaterials} m
  where m.ad_id = ${ads.id} and m.deleted_at is null order by m.sort, m.id limit 1), '')`

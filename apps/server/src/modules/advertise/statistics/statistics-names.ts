import type { AdStatRow } from '@oms/contract/advertise/statistics.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { type AdAttribute, nameAdAttribute } from './statistics-ad-attributes.ts'
import type { NamedGroup } from './statistics-groups.ts'
import { buildNameJoin, DISPLAY_NAME_SQL } from './statistics-source.ts'

type Names = Pick<
  AdStatRow,
  'name' | 'detail' | 'programId' | 'adId' | 'sn' | 'groupId' | 'tag' | 'advertiser' | 'contractNo'
>
const NONE = {
  detail: '',
  programId: null,
  adId: null,
  sn: null,
  groupId: null,
  tag: null,
  advertiser: null,
  contractNo: null,
} as const
/** Empty names, for the row of totals. */
export const NO_NAMES = { ...NONE, name: '' } as const

/** Returns the names of the rows of a table, in the order of the rows. */
export async function readStatisticsNames(
  db: Db,
  groupBy: number,
  groups: readonly NamedGroup[],
  rows: readonly { readonly key: string }[],
): Promise<Names[]> {
  if (groupBy === 3) return rows.map(({ key }) => ({ ...NONE, name: key, tag: key }))
  if (groupBy === 2) {
    const nameOf = new Map(groups.map(({ id, name }) => [id, name]))
    return rows.map(({ key }) => ({ ...NONE, name: nameOf.get(Number(key)) ?? '', groupId: Number(key) }))
  }
  if (groupBy === 4) return namesOfAdAttributes('advertiser', rows)
  if (groupBy === 5) return namesOfAdAttributes('contractNo', rows)
  return groupBy === 1 ? namesOfScreens(db, rows) : namesOfAds(db, rows)
}

type Keyed = readonly { readonly key: string }[]

const namesOfAdAttributes = (attribute: AdAttribute, rows: Keyed): Names[] =>
  rows.map(({ key }) => {
    const { name, value } = nameAdAttribute(attribute, key)
    return { ...NONE, name, [attribute]: value }
  })

async function namesOfScreens(db: Db, rows: Keyed): Promise<Names[]> {
  const ids = rows.map(({ key }) => Number(key))
  const screens = await lookUp(db, 3, ids)
  return ids.map((id) => ({ ...NONE, name: screens.get(id)?.shown ?? '', sn: screens.get(id)?.name ?? null }))
}

async function namesOfAds(db: Db, rows: Keyed): Promise<Names[]> {
  const ids = rows.map(({ key }) => key.split(':').map(Number) as [number, number])
  const programs = await lookUp(
    db,
    2,
    ids.map(([programId]) => programId),
  )
  const ads = await lookUp(
    db,
    1,
    ids.map(([, adId]) => adId),
  )
  return ids.map(([programId, adId]) => ({
    ...NONE,
    name: programs.get(programId)?.shown ?? '',
    detail: ads.get(adId)?.shown ?? '',
    programId,
    adId,
  }))
}

interface Found extends Record<string, unknown> {
  id: number
  name: string | null
  shown: string
}

async function lookUp(db: Db, kind: 1 | 2 | 3 | 4, ids: readonly number[]) {
  const { rows } = await db.execute<Found>(sql`
    select i.id, n.name, ${DISPLAY_NAME_SQL} as shown from unnest(${sql.param([...new Set(ids)])}::int[]) i (id) ${buildNameJoin(kind, sql`i.id`)}`)
  return new Map(rows.map((row) => [row.id, row]))
}

import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { storePlays, uuidOf } from '#test/fixtures/ad-play-fixture.ts'
import { useApp } from '#test/harness.ts'
import { removeExpiredAds } from './ad-retention.ts'

const app = useApp()
const DELETED = '2026-11-25T04:00:00Z'
const yearsLater = (years: number, days = 0) => new Date(Date.parse(DELETED) + (years * 365.25 + days) * 86_400_000)

/** Creates an ad whose files have the names `<id>-material`, `-thumb`, `-page`, `-poster`, `-proof` and `-old`. */
async function createAd(id: number, { deleted = true, proof = `${id}-proof` } = {}) {
  const at = deleted ? DELETED : null
  await app.db.execute(sql`insert into ads (id, tenant_id, ad_name, ad_type, thumb, proofs, deleted_at)
    values (${id}, 1, ${`广告${id}`}, 2, ${`${id}-thumb`}, ${JSON.stringify([{ id: proof }])}::jsonb, ${at})`)
  await app.db.execute(sql`insert into ad_materials (tenant_id, ad_id, file_id, thumb_file_id, page_file_id, poster_file_id,
      sha256, md5, mime, size, deleted_at)
    values (1, ${id}, ${`${id}-material`}, ${`${id}-thumb`}, ${`${id}-page`}, ${`${id}-poster`}, '', '', '', 1, ${at})`)
  const body = { review: { orientation: 0, advertiser: 'x', proofs: [{ id: `${id}-old` }] } }
  await app.db.execute(sql`insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status)
    values (${id}, 1, 1, ${JSON.stringify(body)}::jsonb, '', 1, 2)`)
  for (const name of ['material', 'thumb', 'page', 'poster', 'proof', 'old'])
    await app.db.execute(sql`insert into files (id, purpose, name, size, md5, sha1, sha256, used_time)
      values (${`${id}-${name}`}, 'adVideo', 'x', 1, '', '', '', now())`)
}

const idsOf = async (query: ReturnType<typeof sql>) =>
  (await app.db.execute<{ id: unknown }>(query)).rows.map(({ id }) => id)
const unusedFiles = () => idsOf(sql`select id from files where used_time is null order by id`)
const remove = (now: Date, batch?: number) => removeExpiredAds(app.db, { now, ...(batch && { batch }) })

beforeEach(async () => {
  for (const table of ['ads', 'ad_materials', 'ad_versions', 'files', 'ad_play_fresh', 'ad_play_days', 'ad_plays'])
    await app.db.execute(sql.raw(`delete from ${table}`))
})

test('AD-13 a deleted ad, its versions and its files are removed three years after the deletion, in batches', async () => {
  for (const id of [1, 2, 3]) await createAd(id)
  await createAd(4, { deleted: false })
  expect(await remove(yearsLater(3, -2))).toBe(0)
  expect(await unusedFiles()).toEqual([])
  expect(await remove(yearsLater(3, 2), 2)).toBe(3)
  for (const column of ['id from ads', 'ad_id as id from ad_versions', 'ad_id as id from ad_materials'])
    expect([column, await idsOf(sql`select ${sql.raw(column)}`)]).toEqual([column, [4]])
  const names = ['material', 'old', 'page', 'poster', 'proof', 'thumb']
  expect(await unusedFiles()).toEqual([1, 2, 3].flatMap((id) => names.map((name) => `${id}-${name}`)))
  expect(await idsOf(sql`select name as id from ad_names where kind = 1 and id = 1`)).toEqual(['广告1'])
})

test('AD-13 a deleted ad with a play in the last three years is kept', async () => {
  await createAd(1)
  const startMs = Date.parse('2027-03-01T00:00:00Z')
  await storePlays(app.services.database.pool, [{ deviceId: 1, reportId: uuidOf(1), startMs, ms: 1000 }])
  expect(await remove(yearsLater(3, 2))).toBe(0)
  await app.db.execute(sql`insert into ad_play_days select day, device_id, program_id, ad_id, tenant_id, plays, complete,
      partial, failed, ms, untrusted, first_start, last_end, 0 from ad_play_fresh`)
  await app.db.execute(sql`delete from ad_play_fresh`)
  expect(await remove(yearsLater(3, 2))).toBe(0)
  expect(await remove(new Date('2030-03-31T00:00:00Z')), 'the play may be of any day of its month').toBe(0)
  expect(await remove(yearsLater(4))).toBe(1)
})

test('AD-13 a file that another ad uses stays in use', async () => {
  await createAd(1)
  await createAd(2, { deleted: false, proof: '1-proof' })
  expect(await remove(yearsLater(3, 2))).toBe(1)
  expect(await unusedFiles()).not.toContain('1-proof')
  expect(await unusedFiles()).toContain('1-material')
})

import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { createApprovedAd, formatDayFromToday, buildProgramInput } from '#test/fixtures/program-fixture.ts'

const server = useApp()

test('AD-04 the editor offers no ads whose last day or last day of the approval number has passed', async () => {
  const staff = await server.by({ permissions: ['advertiseManage:ProgramList:query'] })
  const [today, yesterday] = [formatDayFromToday(0), formatDayFromToday(-1)]
  const add = async (name: string, validTo: string | null, approvalUntil: string | null) => {
    const id = await createApprovedAd(server.db, { name: `可选${name}` })
    await server.db.execute(
      sql`update ads set valid_to = ${validTo}, approval_until = ${approvalUntil} where id = ${id}`,
    )
  }
  await add('长期', null, null)
  await add('最后一天', today, today)
  await add('已过期', yesterday, null)
  await add('批准文号过期', null, yesterday)
  const { list } = (
    await staff.call('GET', `/api/v1/advertise/program/option/ad?keyword=${encodeURIComponent('可选')}`)
  ).data
  expect(list.map(({ adName }: { adName: string }) => adName)).toEqual(['可选最后一天', '可选长期'])
})

const draftOf = (adId: number) => buildProgramInput({ items: [{ adId }] })
const PERMISSIONS = ['advertiseManage:ProgramList:query']

test('AD-04 the preview returns files and signed package URLs only of approved ads of the own tenant', async () => {
  const staff = await server.by({ permissions: PERMISSIONS })
  const tenant = await server.by({ tenant: '预览公司', permissions: PERMISSIONS })
  const [picture, pack, draft] = [
    await createApprovedAd(server.db),
    await createApprovedAd(server.db, { type: 6 }),
    await createApprovedAd(server.db),
  ]
  // A manifest names the page that the server made from the archive.
  const page = 'a'.repeat(64)
  await server.db.execute(sql`insert into files (id, purpose, name, size, md5, sha1, sha256)
    values ('page', 'adPackage', 'index.html', 12, '', '', ${page})`)
  await server.db.execute(sql`update ad_materials set page_file_id = 'page' where ad_id = ${pack}`)
  await server.db.execute(sql`update ad_versions set body = jsonb_set(body, '{files,0,sha256}', to_jsonb(${page}::text))
    where ad_id = ${pack}`)
  await server.db.execute(sql`update ads set approved_ver = 0 where id = ${draft}`)
  const { rows } = await server.db.execute<{ id: number; sha256: string; file: string }>(
    sql`select ad_id as id, sha256, file_id as file from ad_materials`,
  )
  const of = (adId: number) => rows.find(({ id }) => id === adId)!
  const ask = (who: typeof staff) =>
    who.call('POST', '/api/v1/advertise/program/files', { adIds: [picture, pack, draft] })
  const { data } = await ask(staff)
  expect(data.files).toEqual([{ sha256: of(picture).sha256, url: `/api/v1/file/${of(picture).file}` }])
  expect(data.packages).toEqual([{ sha256: page, query: expect.stringMatching(/^\?t=[\w.-]+$/) }])
  expect(of(pack).sha256).not.toBe(page)
  const manifest = await staff.call('POST', '/api/v1/advertise/program/manifest', draftOf(pack))
  expect(manifest.data.ads.flatMap((each: { files: object[] }) => each.files)).toMatchObject([{ sha256: page }])
  expect((await ask(tenant)).data).toEqual({ files: [], packages: [] })
})

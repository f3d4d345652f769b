import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const server = useApp()
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'publish'].map((action) => `advertiseManage:ProgramList:${action}`)
type Version = { verNo: number; resolution: string }

test('AD-05 a published version keeps its resolution, also when it is published again', async () => {
  const staff = await server.by({ permissions: PERMISSIONS })
  const adId = await createApprovedAd(server.db)
  const { ids } = await createScreens(server.db, { count: 1 })
  const fields = { items: [{ adId }], targetIds: ids }
  const made = await staff.call('POST', ROOT, buildProgramInput({ ...fields, resolution: '1920×1080' }))
  const id = made.data.id as number
  const read = async () => (await staff.call('GET', `${ROOT}/${id}`)).data
  const post = (path: string, body: object = {}) => staff.call('POST', `${ROOT}/${path}/${id}`, body)
  const versions = async () =>
    (await staff.call('GET', `${ROOT}/${id}/versions`)).data.list.map(({ verNo, resolution }: Version) => [
      verNo,
      resolution,
    ])
  /** Text of the warning about screens of another size, for a version or for the edited content. */
  const warning = async (version = '') => {
    const { data } = await staff.call('GET', `${ROOT}/conflict?id=${id}${version}`)
    return data.warnings.find(({ code }: { code: string }) => code === 'otherResolution')?.text
  }
  await post('publish')
  const edited = buildProgramInput({ ...fields, resolution: '3840×2160' })
  await staff.call('PUT', ROOT, { ...edited, id, rev: (await read()).rev })
  expect(await read()).toMatchObject({ verNo: 1, hasChanges: true })
  expect(await warning()).toBe('屏幕的分辨率不是 3840×2160')
  expect(await warning('&verNo=1')).toBeUndefined()
  expect((await post('publish')).data.verNo).toBe(2)
  expect(await read()).toMatchObject({ hasChanges: false })
  expect((await post('republish', { verNo: 1 })).data.verNo).toBe(3)
  expect(await versions()).toEqual([
    [3, '1920×1080'],
    [2, '3840×2160'],
    [1, '1920×1080'],
  ])
  // The edited content stays, and differs from the version in force.
  expect(await read()).toMatchObject({ resolution: '3840×2160', publishedVer: 3, hasChanges: true })
  const { rows } = await server.db.execute(sql`select resolution from ad_programs where id = ${id}`)
  expect(rows).toEqual([{ resolution: '3840×2160' }])
})

import { expect, test } from 'vitest'
import { GRANT, GRANT_ALL, tenantOf } from '#test/fixtures/license-fixture.ts'
import { useApp } from '#test/harness.ts'

const server = useApp()

test('limited staff can neither approve nor reject a grant of a tenant outside their data scope', async () => {
  await server.by({ tenant: '范围之内' })
  await server.by({ tenant: '范围之外' })
  const [inside, outside] = [await tenantOf(server.db, '范围之内'), await tenantOf(server.db, '范围之外')]
  const applicant = await server.as(...GRANT_ALL)
  const limited = await server.by({ permissions: GRANT_ALL, dataScope: 3, scopeIds: [inside] })
  const apply = async (tenantId: number) => {
    const input = { tenantId, typeCode: 'A', quota: 5, validFrom: '2020-01-01', validTo: '2099-12-31' }
    return (await applicant.call('POST', GRANT, input)).data.id as number
  }
  const foreign = await apply(outside)
  for (const pass of [1, 0])
    expect(
      await limited.call('PUT', `${GRANT}/audit`, { id: foreign, rev: 0, pass, auditRemark: '越权' }),
    ).toMatchObject({ code: 400, data: null })
  expect((await applicant.call('GET', `${GRANT}/detail/${foreign}`)).data).toMatchObject({ status: 0, rev: 0 })
  const own = { id: await apply(inside), rev: 0, pass: 1 }
  expect(await limited.call('PUT', `${GRANT}/audit`, own)).toMatchObject({ code: 200 })
})

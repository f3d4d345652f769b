import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const send = (path: string) => oms.send(path, { token: null })

test('AD-09 a new SMIL address works immediately, and wrong addresses are refused', async () => {
  const { id } = await oms.device()
  const key = 'newkeynewkeynewkeynewkey22'
  const path = `/device/v1/ad/smil/${key}/index.smil`
  expect((await send(path)).status).toBe(404)
  await oms.query(`insert into ad_screens (device_id, tenant_id, player_kind, smil_key_hash) values ($1, 1, 3, $2)`, [
    id,
    createHash('sha256').update(key).digest('hex'),
  ])
  expect((await send(path)).status).toBe(200)
  const wrong = Array.from({ length: 40 }, () => send(path.replace('newkey', 'oldkey')))
  expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([404]))
})

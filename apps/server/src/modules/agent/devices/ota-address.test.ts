import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'

const app = useApp()
const PARAMS = '/api/v1/agent/params'
const ADDRESS = '/api/v1/agent/device/otaAddress'

test('AGENT-04 the OTA address is server.ota of the tenant, else of the platform, else empty', async () => {
  const admin = await app.by({ superAdmin: true })
  const rights = ['agent:params:list', 'agent:params:edit', 'agent:device:list']
  const customer = await app.by({ tenant: '甲公司', permissions: rights })
  const addressFor = async (who = customer) => (await who.call('GET', ADDRESS)).data.address
  const set = (value: string, who = admin) => who.call('PUT', PARAMS, { code: 'server.ota', value, remark: '', rev: 0 })
  expect(await addressFor()).toBe('')
  expect((await set('ftp://oms.example/xiaozhi/ota/')).data).toEqual({ field: 'value' })
  expect((await set('http://10.0.0.5:8080/xiaozhi/ota/')).code).toBe(200)
  expect([await addressFor(), await addressFor(admin)]).toEqual(Array(2).fill('http://10.0.0.5:8080/xiaozhi/ota/'))
  expect((await set('https://voice.example/xiaozhi/ota/', customer)).code).toBe(200)
  expect(await addressFor()).toBe('https://voice.example/xiaozhi/ota/')
  expect((await (await app.as('agent:agent:list')).call('GET', ADDRESS)).code).toBe(501)
})

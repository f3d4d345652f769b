import { expect, test } from 'vitest'
import { connectionOf } from './connection-text.ts'

const access = { tenantNo: 'T 1', targetToken: 1, gatewayToken: 1, pollSeconds: 300 }

test('a device is told where to go, and SWUpdate how', () => {
  const told = connectionOf('https://oms.example', access)
  expect(told.ddi).toBe('https://oms.example/T%201/controller/v1/<序列号>')
  expect(told.swupdate).toContain('tenant = "T 1";')
  expect(told.swupdate).toContain('targettoken = "<令牌>";')
  expect(told.swupdate).toContain('polldelay = 300;')
  expect(connectionOf('https://x', { ...access, targetToken: 0 }).swupdate).toContain('gatewaytoken =')
})

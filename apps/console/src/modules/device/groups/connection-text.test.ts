import { expect, test } from 'vitest'
import { buildConnectionExamples } from './connection-text.ts'

const access = { tenantNo: 'T 1', targetToken: 1, gatewayToken: 1, pollSeconds: 300 }

test('the connection guide contains the device URLs and the SWUpdate configuration', () => {
  const result = buildConnectionExamples('https://oms.example', access)
  expect(result.ddi).toBe('https://oms.example/T%201/controller/v1/<序列号>')
  expect(result.swupdate).toContain('tenant = "T 1";')
  expect(result.swupdate).toContain('targettoken = "<令牌>";')
  expect(result.swupdate).toContain('polldelay = 300;')
  expect(buildConnectionExamples('https://x', { ...access, targetToken: 0 }).swupdate).toContain('gatewaytoken =')
})

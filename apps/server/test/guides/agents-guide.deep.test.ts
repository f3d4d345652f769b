import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { followGuide } from './follow-guide.ts'

const oms = deviceLab()

test('AGENT-01 the commands in docs/guides/agents.md print the output shown in the guide', {
  timeout: 60_000,
}, async () => {
  const steps = await followGuide('agents.md', (command) => command.replaceAll('http://127.0.0.1:8080', oms.origin))
  expect(steps).toBeGreaterThan(3)
  expect(await oms.query('select mac, board, version from agent_codes')).toEqual([
    { mac: '020000000001', board: 'bread-compact-wifi', version: '2.4.2' },
  ])
})

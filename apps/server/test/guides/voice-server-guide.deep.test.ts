import { expect, test } from 'vitest'
import { followGuide } from './follow-guide.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()

test('AGENT-02 the commands in docs/guides/connect-voice-server.md print the output shown in the guide', {
  timeout: 60_000,
}, async () => {
  const secret = await oms.secret()
  const steps = await followGuide('connect-voice-server.md', (command) =>
    command.replaceAll('http://127.0.0.1:8080', oms.origin()).replaceAll('paste-the-secret', secret),
  )
  expect(steps).toBe(3)
})

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readGuide, isExpected, runBlock, stepsOf } from './device-guide.ts'
import { deviceLab, TOKEN } from './device-fixture.ts'
import { useCameras } from './video-fixture.ts'

const oms = deviceLab()
const { camera } = useCameras(oms)

test('STORAGE-03 the commands of docs/connect-camera.md print what the guide shows', { timeout: 60_000 }, async () => {
  await oms.query(`update device_models set cloud_channels = 1 where model_code = 'C1'`)
  await camera([{}], { sn: 'CAM-0001' })
  const base = mkdtempSync(join(tmpdir(), 'oms-camera-'))
  const folder = join(base, 'reader')
  mkdirSync(folder)
  try {
    for (const step of stepsOf(readGuide('connect-camera.md'))) {
      if (step.kind === 'form') continue
      const command = step.command.replaceAll('http://127.0.0.1:8080', oms.origin).replaceAll('paste-the-token', TOKEN)
      const env = { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C' }
      const { output, status } = await runBlock({ folder, env }, { ...step, command })
      const expected = step.expected ?? ''
      if (!isExpected(output, expected)) expect(output, command).toBe(expected)
      expect(status, `${command}\n${output}`).toBe(0)
    }
    await oms.services.videos.status.flush()
    expect(await oms.query('select trouble_code, answer from oss_device_status')).toEqual([
      { trouble_code: 'E12', answer: 'recording' },
    ])
    expect(await oms.query('select bytes, session, seq from oss_segments')).toEqual([
      { bytes: 188_000, session: 77, seq: 12 },
    ])
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
})

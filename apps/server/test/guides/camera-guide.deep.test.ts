import { expect, test } from 'vitest'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'
import { followGuide } from './follow-guide.ts'
import { useCameras } from '#test/fixtures/video-fixture.ts'

const oms = deviceLab()
const { camera } = useCameras(oms)

test('STORAGE-03 the commands in docs/guides/connect-camera.md print the output shown in the guide', {
  timeout: 60_000,
}, async () => {
  await oms.query(`update device_models set cloud_channels = 1 where model_code = 'C1'`)
  await camera([{}], { sn: 'CAM-0001' })
  await followGuide('connect-camera.md', (command) =>
    command.replaceAll('http://127.0.0.1:8080', oms.origin).replaceAll('paste-the-token', TOKEN),
  )
  await oms.services.videos.status.flush()
  expect(await oms.query('select trouble_code, answer from oss_device_status')).toEqual([
    { trouble_code: 'E12', answer: 'recording' },
  ])
  expect(await oms.query('select bytes, session, seq from oss_segments')).toEqual([
    { bytes: 188_000, session: 77, seq: 12 },
  ])
})

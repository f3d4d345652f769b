import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { expect, test } from 'vitest'
import { pressButton, readFieldErrors, waitUntil } from '#test/form-cases/page-driver.ts'
import { ConsentForm } from '#modules/storage/playback/playback-dialogs.tsx'
import { refusal } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const DOCUMENT = 'f'.repeat(32)

test('a refused form shows the problem of every field, each at its field', async () => {
  const initial = {
    sn: 'D1',
    rangeBegin: '2026-11-02 00:00:00',
    rangeEnd: '2026-11-01 00:00:00',
    validUntil: '2026-11-01 00:00:00',
    document: DOCUMENT,
  }
  const server = start(<ConsentForm initial={initial} onClose={() => {}} />)
  const fields = [
    { field: 'sn', msg: '设备不存在或已被删除' },
    { field: 'rangeEnd', msg: '录像结束时间应晚于开始时间' },
    { field: 'document', msg: '授权文件不存在或已使用，请重新上传' },
  ]
  server.on(playbackConsents.create, () => refusal(400, '设备不存在或已被删除', { field: 'sn', fields }))
  await waitUntil(() => pressButton('登记'))
  await waitUntil(() => expect(readFieldErrors()).toEqual(fields.map(({ msg }) => msg)))
  expect(document.activeElement).toHaveProperty('value', 'D1')
})

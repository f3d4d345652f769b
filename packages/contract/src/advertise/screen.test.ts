import { expect, test } from 'vitest'
import { formatPlayerFailure, PairInput } from './screen.ts'

test.each([
  ['hash', '文件校验不一致'],
  ['quota', '存储空间不足'],
  ['quota earlier', '存储空间不足，新版本未播放，上一版本继续播放，请清理设备存储或换用较小的素材'],
  ['play', '文件无法播放'],
  ['HTTP 404', '服务器拒绝下载（HTTP 404）'],
  ['decoder lost', 'decoder lost'],
  ['constructor', 'constructor'],
  ['', '未知原因'],
])('the reason %s of a failed file is shown as %s', (reason, text) => expect(formatPlayerFailure(reason)).toBe(text))

test('blanks of a pairing code are removed', () =>
  expect(PairInput.parse({ deviceId: 1, code: ' ab2 cd3' }).code).toBe('AB2CD3'))

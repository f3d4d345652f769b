import { describe, expect, test } from 'vitest'
import { buildRequest, computeDingTalkSign, cutBytes, judgeResponse, signFeishu } from './wire.ts'

const data = { id: 12, feedbackNo: 'FB1', sn: 'SN[1](x)@all' }
const body = JSON.stringify({ type: 'ticket.closed', timestamp: '2030-01-01T00:00:00.000Z', seq: 1, tenantId: 3, data })
const now = new Date(1_700_000_000_000)
const robot = (kind: 'dingtalk' | 'feishu' | 'wecom', url: string, secrets: string[] = []) =>
  buildRequest({ kind, url, secrets, eventId: 'evt_1', body }, now)
const LINES = ['工单：FB1', '设备：SN1xall', '时间：2030-01-01 00:00:00 UTC']

test('signatures equal the check values of DingTalk and Feishu', () => {
  expect(computeDingTalkSign('SECabc', 1_700_000_000_000)).toBe('jcUpW0QmtKduN03n4JqQ0PBosVjqnM8gU7fIIvsDmCM%3D')
  expect(signFeishu('abc', '1700000000')).toBe('VIS10b0EBvzzSdFnuk4tznEmK5wHaruvf/WnViv2yR4=')
})

describe('a robot receives the body of its service, without mentions and links from the data', () => {
  test('DingTalk signs in the URL, with milliseconds', () => {
    const { url, body: sent } = robot('dingtalk', 'https://oapi.dingtalk.com/robot/send?access_token=t', ['SECabc'])
    expect(url).toBe(
      'https://oapi.dingtalk.com/robot/send?access_token=t&timestamp=1700000000000&sign=jcUpW0QmtKduN03n4JqQ0PBosVjqnM8gU7fIIvsDmCM%3D',
    )
    expect(JSON.parse(String(sent))).toEqual({
      msgtype: 'markdown',
      markdown: { title: 'OMS 工单关闭', text: ['### OMS 工单关闭', ...LINES].join('\n\n') },
      at: { atMobiles: [] },
    })
  })
  test('Feishu signs in the body, with seconds', () => {
    expect(JSON.parse(String(robot('feishu', 'https://open.feishu.cn/x', ['abc']).body))).toEqual({
      timestamp: '1700000000',
      sign: 'VIS10b0EBvzzSdFnuk4tznEmK5wHaruvf/WnViv2yR4=',
      msg_type: 'text',
      content: { text: ['OMS 工单关闭', ...LINES].join('\n') },
    })
  })
  test('WeCom has no signature', () => {
    expect(JSON.parse(String(robot('wecom', 'https://qyapi.weixin.qq.com/x').body))).toEqual({
      msgtype: 'markdown',
      markdown: { content: ['### OMS 工单关闭', ...LINES].join('\n\n') },
    })
  })
})

test.each([
  ['webhook', 204, '', 'done'],
  ['webhook', 302, '', 'retry'],
  ['webhook', 410, '', 'gone'],
  ['webhook', 500, '', 'retry'],
  ['dingtalk', 200, '{"errcode":0}', 'done'],
  ['dingtalk', 200, '{"errcode":310000}', 'stop'],
  ['dingtalk', 200, '{"errcode":130101}', 'retry'],
  ['feishu', 200, '{"code":0}', 'done'],
  ['feishu', 200, '{"code":19021}', 'stop'],
  ['feishu', 200, '{"errcode":0}', 'retry'],
  ['wecom', 200, '{"errcode":0}', 'done'],
  ['wecom', 200, '<html>', 'retry'],
  ['wecom', 500, '{"errcode":0}', 'retry'],
] as const)('%s: status %i with %s means %s', (kind, status, text, result) => {
  expect(judgeResponse(kind, status, text).result).toBe(result)
})

test('a text is cut between characters', () => {
  expect(cutBytes('中文字', 7)).toBe('中文')
  expect(cutBytes('abc', 3)).toBe('abc')
})

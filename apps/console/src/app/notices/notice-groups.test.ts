import { expect, test } from 'vitest'
import { groupMessages, type Message } from './notice-groups.ts'

const message = (title: string, topic = 'ticket') => ({ title, topic }) as Message
const shapeOf = (messages: Message[]) => groupMessages(messages).map((group) => group.length)

test('three or more system messages that differ only in numbers and names are one group', () => {
  const late = ['工单 FB001 已超时', '工单 FB002 已超时', '工单 FB003 已超时'].map((title) => message(title))
  const silent = ['2 个通道没有录像 · 甲', '9 个通道没有录像 · 乙'].map((title) => message(title, 'storage'))
  expect(shapeOf([...late, ...silent, message('停机维护', '')])).toEqual([3, 1, 1, 1])
  expect(shapeOf(['停机 1', '停机 2', '停机 3'].map((title) => message(title, '')))).toEqual([1, 1, 1])
})

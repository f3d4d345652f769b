import { expect, test } from 'vitest'
import { toConversation } from './recorded-turns.ts'

const user = (content: string) => ({ kind: 1, content })
const agent = (content: string) => ({ kind: 2, content })

test('recorded answers are joined up to the next question; tool calls and turns without text are omitted', () => {
  const said = [
    agent('你好'),
    user('几点了'),
    { kind: 3, content: '[]' },
    agent('八点'),
    agent('整'),
    user(''),
    user('谢谢'),
  ]
  const { turns, isCut } = toConversation(said)
  expect(turns.map(({ question, answer, state }) => [question, answer, state])).toEqual([
    ['', '你好', 'recorded'],
    ['几点了', '八点整', 'recorded'],
    ['谢谢', '', 'recorded'],
  ])
  expect(isCut).toBe(false)
})

test('a try-out continues only the newest turns of a long conversation', () => {
  const { turns, isCut } = toConversation(Array.from({ length: 40 }, (_, at) => user(`问题${at}`)))
  expect([turns.length, turns.at(-1)?.question, isCut]).toEqual([25, '问题39', true])
})

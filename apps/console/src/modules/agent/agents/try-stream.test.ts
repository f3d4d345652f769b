import { expect, test } from 'vitest'
import { createEventSplitter } from './conversation.ts'

test('the try-out stream joins events that arrive one character at a time', () => {
  const split = createEventSplitter()
  const text = 'event: text\ndata: {"text":"你好\\n"}\n\nevent: error\ndata: {"kind":"key","message":"x"}\n\n'
  expect([...text].flatMap((character) => split(character))).toEqual([
    { event: 'text', data: { text: '你好\n' } },
    { event: 'error', data: { kind: 'key', message: 'x' } },
  ])
})

test('the try-out stream reads several events from one chunk', () => {
  const one = 'event: text\ndata: {"text":"a"}\n\n'
  expect(createEventSplitter()(one + one)).toHaveLength(2)
})

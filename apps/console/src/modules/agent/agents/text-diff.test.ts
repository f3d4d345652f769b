import { expect, test } from 'vitest'
import { diffTexts } from './text-diff.ts'

const marked = (pieces: ReturnType<typeof diffTexts>[0]) =>
  pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')

test('the text comparison marks only the words that differ on each side', () => {
  const [from, to] = diffTexts('你是小智，说话简短。\n不谈政治。', '你是小智，说话温和。\n不谈政治。')
  expect(marked(from)).toBe('你是小智，说话[简短]。\n不谈政治。')
  expect(marked(to)).toBe('你是小智，说话[温和]。\n不谈政治。')
})

test('the text comparison marks nothing when the texts have nothing in common or one text is empty', () => {
  expect(diffTexts('甲', '乙').map(marked)).toEqual(['甲', '乙'])
  expect(diffTexts('', '新的设定').map(marked)).toEqual(['', '新的设定'])
})

test('the comparison of two texts of 2,000 characters ends within the time limit and keeps every character', () => {
  const [a, b] = ['一二三四五六七八'.repeat(250), '八七六五四三二一'.repeat(250)]
  const [from, to] = diffTexts(a, b)
  expect(from.map(({ text }) => text).join('')).toBe(a)
  expect(to.map(({ text }) => text).join('')).toBe(b)
})

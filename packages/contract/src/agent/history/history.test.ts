import { expect, test } from 'vitest'
import { joinSentences } from './history.ts'

const report = (kind: number, content: string, sessionId = 'a') => ({
  kind,
  content,
  characters: content.length,
  seconds: 0.1,
  sessionId,
})

test('consecutive sentences of an agent are joined to one answer, until the next question, tool call or conversation', () => {
  const said = [
    report(1, '天气'),
    report(2, '好的。'),
    report(3, '[]'),
    report(2, '晴。'),
    report(2, '二十度。'),
    report(2, '再见', 'b'),
  ]
  const joined = joinSentences(said)
  expect(joined.map(({ content }) => content)).toEqual(['天气', '好的。', '[]', '晴。二十度。', '再见'])
  expect(joined[3]).toMatchObject({ characters: 6, seconds: 0.2, sentences: [said[3], said[4]] })
})

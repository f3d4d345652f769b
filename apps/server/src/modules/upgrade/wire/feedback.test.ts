import { expect, test } from 'vitest'
import { selectInformativeLines, findFailureReason } from './feedback.ts'

const chatter = Array.from({ length: 60 }, (_, n) => `line ${n}`)

test('a long report keeps all its error lines and its latest lines', () => {
  const details = ['ERROR : first', ...chatter.slice(0, 30), 'ERROR : cause', ...chatter.slice(30)]
  const kept = selectInformativeLines(details, 50)
  expect(kept).toHaveLength(50)
  expect([kept[0], kept.at(-1)]).toEqual(['ERROR : first', 'line 59'])
  expect(kept).toContain('ERROR : cause')
  expect(kept).not.toContain('line 0')
  expect(
    findFailureReason({
      details: selectInformativeLines([...chatter, 'ERROR : Authentication failed'], 50),
      execution: 'closed',
    }),
  ).toBe('Authentication failed')
})

test('error lines may fill a report up to the limit, and a short report is unchanged', () => {
  const errors = Array.from({ length: 70 }, (_, n) => `ERROR ${n}`)
  expect(selectInformativeLines(errors, 50)).toEqual(errors.slice(0, 50))
  expect(selectInformativeLines(['same', 'same'], 50)).toEqual(['same', 'same'])
  expect(
    selectInformativeLines(
      Array.from({ length: 80 }, () => 'same'),
      50,
    ),
  ).toHaveLength(50)
})

test('a consequential error is the reason only when its cause is not reported', () => {
  const lost = 'ERROR : Channel operation returned error (23): Failed writing received data to disk/application'
  const unread = 'ERROR : Writing into SWUpdate IPC stream failed.'
  const details = [unread, lost, 'ERROR : Authentication of all signatures failed', 'FAILURE ERROR : Image invalid']
  expect(findFailureReason({ details, execution: 'closed' })).toBe('Authentication of all signatures failed')
  const refused = ['ERROR : Compatible SW not found', 'ERROR : Authentication of all signatures failed']
  expect(findFailureReason({ details: refused, execution: 'closed' })).toBe('Authentication of all signatures failed')
  expect(findFailureReason({ details: refused.slice(0, 1), execution: 'closed' })).toBe('Compatible SW not found')
  expect(findFailureReason({ details: [lost], execution: 'closed' })).toMatch(/^Channel operation returned error/)
})

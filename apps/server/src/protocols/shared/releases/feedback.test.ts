import { expect, test } from 'vitest'
import { mostInformativeLines, reasonOf } from './feedback.ts'

const chatter = Array.from({ length: 60 }, (_, n) => `line ${n}`)

test('keeps the errors of a long report, wherever they are, and the latest lines', () => {
  const details = ['ERROR : first', ...chatter.slice(0, 30), 'ERROR : cause', ...chatter.slice(30)]
  const kept = mostInformativeLines(details, 50)
  expect(kept).toHaveLength(50)
  expect([kept[0], kept.at(-1)]).toEqual(['ERROR : first', 'line 59'])
  expect(kept).toContain('ERROR : cause')
  expect(kept).not.toContain('line 0')
  expect(
    reasonOf({ details: mostInformativeLines([...chatter, 'ERROR : Authentication failed'], 50), execution: 'closed' }),
  ).toBe('Authentication failed')
})

test('errors alone fill a report up to the limit; a short report is unchanged', () => {
  const errors = Array.from({ length: 70 }, (_, n) => `ERROR ${n}`)
  expect(mostInformativeLines(errors, 50)).toEqual(errors.slice(0, 50))
  expect(mostInformativeLines(['same', 'same'], 50)).toEqual(['same', 'same'])
  expect(
    mostInformativeLines(
      Array.from({ length: 80 }, () => 'same'),
      50,
    ),
  ).toHaveLength(50)
})

test('an error that follows from another error is the reason only without that other error', () => {
  const lost = 'ERROR : Channel operation returned error (23): Failed writing received data to disk/application'
  const unread = 'ERROR : Writing into SWUpdate IPC stream failed.'
  const details = [unread, lost, 'ERROR : Authentication of all signatures failed', 'FAILURE ERROR : Image invalid']
  expect(reasonOf({ details, execution: 'closed' })).toBe('Authentication of all signatures failed')
  const refused = ['ERROR : Compatible SW not found', 'ERROR : Authentication of all signatures failed']
  expect(reasonOf({ details: refused, execution: 'closed' })).toBe('Authentication of all signatures failed')
  expect(reasonOf({ details: refused.slice(0, 1), execution: 'closed' })).toBe('Compatible SW not found')
  expect(reasonOf({ details: [lost], execution: 'closed' })).toMatch(/^Channel operation returned error/)
})

import { expect, test } from 'vitest'
import { ticketListPath, formatTicketPath, parseTicketId } from './ticket-address.ts'

test('ROUTE-05 reads the ticket id from the URL and ignores its other fields', () => {
  const address = formatTicketPath('/AfterService/Questions', 12)
  expect(parseTicketId(new URL(address, 'http://x').searchParams.get('info'))).toBe(12)
  expect(parseTicketId('{"id":"7","status":5,"handlerId":1}')).toBe(7)
  expect(ticketListPath('/AfterService/PendingList/Pendding')).toBe('/AfterService/PendingList')
  expect(ticketListPath('/AfterService/Questions/Pendding')).toBe('/AfterService/Questions')
})

test.each([
  null,
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{}',
  '{"id":0}',
  '{"id":-1}',
  '{"id":1.5}',
  '{"id":"x"}',
  '{"id":1e99}',
])('ROUTE-05 %j names no ticket', (info) => expect(parseTicketId(info)).toBeUndefined())

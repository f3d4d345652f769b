import { expect, test } from 'vitest'
import { ticketListPath, formatTicketPath, parseTicketId } from './ticket.tsx'

test('ROUTE-05 the ticket id is read from the URL parameter `info`; its other fields are ignored', () => {
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
])('ROUTE-05 the URL parameter %j contains no valid ticket id', (info) => expect(parseTicketId(info)).toBeUndefined())

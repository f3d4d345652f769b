import { expect, test, vi } from 'vitest'
import { isAllowedAddress } from './frames.ts'

test('AD-07 the player opens only HTTPS URLs of public hosts other than its own host', () => {
  vi.stubGlobal('location', { href: 'https://oms.example.com:8443/player/' })
  for (const address of ['https://www.example.com/a?b#c', 'https://93.184.216.34/', 'https://[2606:4700::1111]/'])
    expect([address, isAllowedAddress(address)]).toEqual([address, true])
  for (const address of [
    null,
    '',
    'http://www.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://oms.example.com/',
    'https://OMS.example.com.:9/',
    'https://me:secret@www.example.com/',
    'https://127.0.0.1/',
    'https://0x7f000001/',
    'https://192.168.0.1/',
    'https://[::1]/',
    'https://[::ffff:192.168.0.1]/',
    'https://router/',
    'https://printer.local/',
  ])
    expect([address, isAllowedAddress(address)]).toEqual([address, false])
  vi.unstubAllGlobals()
})

import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHmacFunction } from './one-shot-hmac.ts'

test('the HMAC equals the result of createHmac for keys and messages of every length', () => {
  for (const keyBytes of [0, 1, 32, 63, 64, 65, 200])
    for (const messageBytes of [0, 1, 60, 300]) {
      const [key, message] = [randomBytes(keyBytes), randomBytes(messageBytes)]
      expect(createHmacFunction(key)(message).equals(createHmac('sha256', key).update(message).digest())).toBe(true)
    }
})

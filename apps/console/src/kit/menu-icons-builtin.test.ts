import { CATALOGUE } from '@oms/contract/catalogue.ts'
import { expect, test } from 'vitest'
import { BUILTIN_ICONS } from './menu-icons-builtin.tsx'

test('every menu the product ships with has an icon of its own kind', () => {
  const named = CATALOGUE.flatMap(({ icon, pages }) => [icon, ...pages.map((page) => page.icon)])
  expect(named.filter((icon) => !(icon in BUILTIN_ICONS))).toEqual([])
})

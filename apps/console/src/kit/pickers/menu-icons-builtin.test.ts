import { CATALOGUE } from '@oms/contract/catalogue.ts'
import { expect, test } from 'vitest'
import { BUILTIN_ICONS } from './menu-icons-builtin.tsx'

test('every shipped menu has its own icon', () => {
  const named = CATALOGUE.flatMap(({ icon, pages }) => [icon, ...pages.map((page) => page.icon)])
  const missing = named.filter((icon) => !(icon in BUILTIN_ICONS))
  expect(missing, 'add the icon to BUILTIN_ICONS in kit/pickers/menu-icons-builtin.tsx').toEqual([])
})

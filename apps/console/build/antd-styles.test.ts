import { expect, test } from 'vitest'
import { split } from './antd-styles.ts'

test('every rule lands in one sheet, demo variables and unused components in none', () => {
  const css = [
    '.ant-btn{color:red;}',
    '.ant-table{color:red;}',
    '.ant-tour{color:red;}',
    '.css-var-_R_0_.ant-btn{--ant-x:1;}',
    '@media (min-width: 1px){.ant-table-cell{color:red;}}',
    '@keyframes antFadeIn{0%{opacity:0;}}',
    '.ant-fade{animation-name:antFadeIn;}',
  ]
  const { shell, rest } = split(css.join(''))
  expect(shell).toBe(`${css[0]}${css[6]}${css[5]}`)
  expect(rest).toBe(`${css[1]}${css[4]}`)
})

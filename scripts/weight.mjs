import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { at, say } from './runtime.mjs'

const SOURCES = [
  'packages/contract/src',
  'apps/server/src',
  'apps/console/src',
  'apps/console/build',
  'bench',
  'scripts',
]
/** Folders of the server with one subfolder per module. */
const BY_SUBJECT = new Set(['modules', 'demo'])
const IS_TEST = /\.test\.tsx?$|(^|[/\\])[^/\\]*(fixture|tests?)([/\\]|[^/\\]*\.tsx?$)/

/** Prints the lines and files of source code and the lines of style sheets by module, without tests and fixtures. */
export function printWeight() {
  const weights = new Map()
  const total = { name: '合计', files: 0, lines: 0, css: 0 }
  for (const folder of SOURCES.filter((source) => existsSync(at(source))))
    for (const file of readdirSync(at(folder), { recursive: true })) {
      if (!/\.(tsx?|css)$/.test(file) || IS_TEST.test(file)) continue
      const name = moduleOf(folder, file.split(sep))
      const weight = weights.get(name) ?? { name, files: 0, lines: 0, css: 0 }
      weights.set(name, weight)
      const lines = readFileSync(join(at(folder), file), 'utf8').split('\n').length - 1
      for (const sum of [weight, total]) {
        if (file.endsWith('.css')) sum.css += lines
        else {
          sum.files += 1
          sum.lines += lines
        }
      }
    }
  const rows = [...weights.values()].toSorted((a, b) => b.lines - a.lines)
  say('\n代码量（不含测试）：   行数   文件  样式行数')
  for (const { name, files, lines, css } of [...rows, total])
    say(`${name.padEnd(20)}${[lines, files, css].map((count) => String(count).padStart(7)).join('')}`)
}

/** Returns the module of a file. Returns package and folder for shared code, for example `server/core`. */
function moduleOf(folder, parts) {
  const [first, second] = parts
  if (BY_SUBJECT.has(first) && parts.length > 2) return second
  const isModule = folder.startsWith('packages') && parts.length > 1 && first !== 'core'
  const part = folder.replace(/^(apps|packages)\//, '').replace(/\/src$/, '')
  return isModule ? first : [part, ...parts.slice(0, -1)].slice(0, 2).join('/')
}

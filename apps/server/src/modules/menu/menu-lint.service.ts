import { ALL_PERMISSIONS, CATALOGUE } from '@oms/contract/permissions/catalogue.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { MenuFinding, menu } from '@oms/contract/menu/menu.ts'
import type * as z from 'zod'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { type Menu, findMenuPositionProblem, readMenus } from './menu-rows.ts'

type Finding = z.output<typeof MenuFinding>

/** Paths of the product's own pages, for callers that do not send their known pages. */
const SHIPPED_PAGES = CATALOGUE.flatMap(({ pages }) =>
  pages.flatMap(({ url, hidden = [] }) => [url, ...hidden.map((page) => page.url)]),
)

export async function checkMenus({ db, user }: Ctx, { pages = SHIPPED_PAGES }: ParsedOf<typeof menu.lint>) {
  assertPlatform(user)
  const rows = await readMenus(db)
  const list = [
    ...placeFindings(rows),
    ...pageFindings(rows, new Set<string>(pages)),
    ...permissionFindings(rows),
    ...namesakes(rows),
    ...emptyDirectories(rows),
  ]
  return { list, checked: rows.length }
}

const about = ({ id, name }: Menu) => ({ menuId: id, name })

function placeFindings(rows: readonly Menu[]): Finding[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const urls = new Set(rows.flatMap(({ type, url }) => (type === 'C' ? [url] : [])))
  return rows.flatMap((row) => {
    const problem = findMenuPositionProblem(byId, row)
    const lost = row.activeMenu !== '' && !urls.has(row.activeMenu)
    const found: Finding[] = []
    if (problem) found.push({ kind: 'badParent', level: 'error', ...about(row), message: problem })
    if (lost) {
      const message = `高亮菜单 ${row.activeMenu} 不存在，没有人能打开该页面`
      found.push({ kind: 'badParent', level: 'error', ...about(row), message })
    }
    return found
  })
}

function pageFindings(rows: readonly Menu[], known: ReadonlySet<string>): Finding[] {
  const inside = rows.filter(({ type, isFrame }) => type === 'C' && isFrame === 0)
  const urls = new Set(inside.map(({ url }) => url))
  const dead = inside.flatMap((row): Finding[] =>
    known.has(row.url)
      ? []
      : [{ kind: 'noPage', level: 'error', ...about(row), message: `控制台没有地址为 ${row.url} 的页面` }],
  )
  const homeless = [...known].flatMap((url): Finding[] =>
    urls.has(url)
      ? []
      : [{ kind: 'noMenu', level: 'warning', menuId: null, name: url, message: `页面 ${url} 没有对应的菜单` }],
  )
  return [...dead, ...homeless]
}

function permissionFindings(rows: readonly Menu[]): Finding[] {
  const held = new Set(rows.map(({ perms }) => perms))
  const unused = rows.flatMap((row): Finding[] => {
    if (!row.perms || ALL_PERMISSIONS.has(row.perms)) return []
    return [{ kind: 'unusedPerms', level: 'warning', ...about(row), message: `没有任何功能使用权限 ${row.perms}` }]
  })
  const missing = [...ALL_PERMISSIONS].flatMap((perms): Finding[] =>
    held.has(perms)
      ? []
      : [
          {
            kind: 'missingPerms',
            level: 'error',
            menuId: null,
            name: perms,
            message: `权限 ${perms} 没有菜单，无法授予`,
          },
        ],
  )
  return [...unused, ...missing]
}

function namesakes(rows: readonly Menu[]): Finding[] {
  const groups = Map.groupBy(rows, ({ parentId, name }) => `${parentId} ${name}`)
  return [...groups.values()].flatMap(([, ...others]) =>
    others.map(
      (row): Finding => ({
        kind: 'duplicateName',
        level: 'warning',
        ...about(row),
        message: `同一上级下有同名菜单「${row.name}」`,
      }),
    ),
  )
}

function emptyDirectories(rows: readonly Menu[]): Finding[] {
  const parents = new Set(rows.flatMap(({ parentId, visible }) => (visible === 1 ? [parentId] : [])))
  return rows.flatMap((row): Finding[] =>
    row.type !== 'M' || parents.has(row.id)
      ? []
      : [{ kind: 'emptyDirectory', level: 'warning', ...about(row), message: '目录下没有显示的菜单，不会出现在侧栏' }],
  )
}

import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'

export const ADMIN_PASSWORD = 'Vendor-admin-9'
const PASSWORD = 'Journey-staff-7'

export interface Person {
  readonly account: string
  readonly password: string
  readonly realname: string
}
export const ADMIN: Person = { account: 'admin', password: ADMIN_PASSWORD, realname: '系统管理员' }

/** Returns a name that no other journey and no earlier retry on the same database uses. */
export const fresh = (name: string) => `${name}${randomBytes(4).toString('hex')}`

/** Returns a unique mobile number. */
export const freshMobile = () => `139${String(randomInt(1e8)).padStart(8, '0')}`

export const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** Creates an API session, separate from any page, to create the data of a journey. */
export interface Api {
  call<T = unknown>(method: string, path: string, data?: object): Promise<T>
}

/** Calls the API as this user; an error response throws with the server's message. */
export async function apiOf(request: APIRequestContext, { account, password }: Person): Promise<Api> {
  const send = async (method: string, path: string, data: object | undefined, ticket?: string) => {
    const query = method === 'GET' || method === 'DELETE'
    const headers: Record<string, string> = ticket ? { ticket } : {}
    const reply = await request.fetch(path, {
      method,
      headers,
      ...(data && (query ? { params: data as Record<string, string> } : { data })),
    })
    const answer = (await reply.json()) as { code: number; msg: string; data: unknown }
    if (answer.code !== 200) throw new Error(`${method} ${path}: ${answer.code} ${answer.msg}`)
    return answer.data
  }
  const { token } = (await send('POST', '/api/v1/account/login', { account, pswdMd5: md5(password) })) as {
    token: string
  }
  return {
    call: async <T>(method: string, path: string, data?: object) => (await send(method, path, data, token)) as T,
  }
}

/** Creates a staff account with exactly these permissions and a permanent password. */
export async function hire(
  request: APIRequestContext,
  permissions: readonly string[],
  realname = '员工',
): Promise<Person> {
  const account = fresh('staff')
  const admin = await apiOf(request, ADMIN)
  const { id: roleId } = await admin.call<{ id: number }>('POST', '/api/v1/tenant/role', {
    roleName: fresh('角色'),
    roleCode: fresh('role_'),
    dataScope: 1,
  })
  await grant(admin, roleId, permissions)
  const fields = { account, realname, roleIds: [roleId] }
  const { password } = await admin.call<{ password: string }>('POST', '/api/v1/tenant/user', fields)
  const first = await apiOf(request, { account, password, realname })
  await first.call('POST', '/api/v1/account/passwd/modify', { oldPswdMd5: md5(password), newPswdMd5: md5(PASSWORD) })
  return { account, password: PASSWORD, realname }
}

interface PermNode {
  id: number
  perms: string
  children: PermNode[]
}

/** Replaces the permissions of a role. */
export async function grant(admin: Api, roleId: number, permissions: readonly string[]) {
  const { menus, rev } = await admin.call<{ menus: PermNode[]; rev: number }>(
    'GET',
    `/api/v1/tenant/role/allPerm/${roleId}`,
  )
  const all = (nodes: PermNode[]): PermNode[] => nodes.flatMap((node) => [node, ...all(node.children ?? [])])
  const menuIds = all(menus).flatMap(({ id, perms }) => (permissions.includes(perms) ? [id] : []))
  if (menuIds.length !== permissions.length) throw new Error(`not all of ${permissions.join(', ')} are in the tree`)
  await admin.call('POST', '/api/v1/tenant/role/permission', { roleId, menuIds, rev })
}

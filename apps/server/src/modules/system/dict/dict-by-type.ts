import { dictData as calls } from '@oms/contract/system/dict.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { and, asc, eq } from 'drizzle-orm'
import { dictData, dictTypes } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createSerializer } from '#core/http/serialize.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

const serialize = createSerializer(calls.byType)

/**
 * Returns the entries of a dictionary, or 304 to a client with the current version. An unknown or disabled type is
 * empty.
 */
export async function listEntriesByType(
  ctx: Ctx,
  { type, all }: ParsedOf<typeof calls.byType>,
): Promise<StreamResponse> {
  const { db, services, request } = ctx
  const [found] = await db
    .select({ dictId: dictTypes.dictId, version: dictTypes.version, status: dictTypes.status })
    .from(dictTypes)
    .where(and(eq(dictTypes.dictType, type), notDeleted(dictTypes)))
  const tag = `"${found?.dictId ?? 0}.${found?.version ?? 0}.${all}"`
  const known = matches(request.header('if-none-match'), tag)
  const shown = found && (all || found.status === 1)
  const data = !known && shown ? await entriesOf(ctx, type, all) : []
  return (_request, reply) => {
    reply.header('etag', tag).header('cache-control', 'private, no-cache')
    reply.header('x-perm-version', services.permissionVersion.current)
    if (known) return reply.code(304).send()
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(serialize({ code: RESPONSE_CODE.ok, msg: 'ok', data }))
  }
}

const entriesOf = ({ db }: Ctx, type: string, all: number) =>
  db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictType, type), notDeleted(dictData), all ? undefined : eq(dictData.status, 1)))
    .orderBy(asc(dictData.dictSort), asc(dictData.dictCode))

/** True when the ETags match. A compressing proxy may have changed the tag into a weak tag. */
const matches = (header: string | undefined, tag: string) =>
  header?.split(',').some((each) => each.trim().replace(/^W\//, '') === tag) ?? false

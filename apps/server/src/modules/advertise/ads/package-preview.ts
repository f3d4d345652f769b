import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, inArray, ne, or } from 'drizzle-orm'
import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import { adMaterials, ads, adVersions } from '../schema.ts'
import { visibleAds } from '../scope.ts'

const USE = 'ad-package'
const VALID_MS = 60_000
const ADDRESS = /^\/player\/pkg\/([0-9a-f]{64})\/\?t=([\w.-]{1,200})$/

/** Isolates the page of a package: an opaque origin without storage, network, frames and forms. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-scripts; default-src data: blob: 'unsafe-inline'; connect-src 'none'; frame-src 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/**
 * Returns the signed query of each package of an ad and of its versions, by the sha256 of the uploaded archive. A query
 * opens `/player/pkg/{sha256}/` for a minute.
 */
export async function previewAdPackage(ctx: Ctx, { id }: ParsedOf<typeof calls.preview>) {
  const { db, user, now, services } = ctx
  if ((await db.$count(ads, and(eq(ads.id, id), visibleAds(user)))) === 0) throw notFound('广告')
  const versions = await db.select({ body: adVersions.body }).from(adVersions).where(eq(adVersions.adId, id))
  const submitted = versions.flatMap(({ body }) => body.files.map(({ materialId }) => materialId))
  const rows = await db
    .select({ id: adMaterials.id, sha256: adMaterials.sha256 })
    .from(adMaterials)
    .where(
      and(
        ne(adMaterials.pageFileId, ''),
        or(eq(adMaterials.adId, id), submitted.length > 0 ? inArray(adMaterials.id, submitted) : undefined),
      ),
    )
  return { packages: rows.map((row) => ({ sha256: row.sha256, query: signPackageQuery({ now, services }, row.id) })) }
}

/** Returns the signed query that opens the page of a package for a minute. */
export const signPackageQuery = ({ now, services }: Pick<Ctx, 'now' | 'services'>, materialId: number) =>
  `?t=${signNumbers(services.config.secretKey, USE, [materialId, now.getTime() + VALID_MS])}`

export const isPackageUrl = (url: string) => url.startsWith('/player/pkg/')

/** Returns the handler of package pages for previews. Screens show packages from their own storage instead. */
export function createPackagePreviewHandler(services: Services) {
  return (request: IncomingMessage, response: ServerResponse) => {
    void serve(services, request, response).catch(() => response.destroy())
  }
}

async function serve(services: Services, request: IncomingMessage, response: ServerResponse) {
  const [, sha256 = '', token = ''] = ADDRESS.exec(request.url ?? '') ?? []
  const [materialId = 0, expires = 0] = readNumbers(services.config.secretKey, USE, token, 2) ?? []
  const isValid = request.method === 'GET' && expires > services.now().getTime()
  const page = isValid ? await pageOf(services, materialId, sha256) : undefined
  if (!page) return void response.writeHead(404, { 'content-length': 0, 'cache-control': 'no-store' }).end()
  const stream = await services.files.openRead(page.sha256)
  response.writeHead(200, { ...HEADERS, 'content-length': page.size })
  await pipeline(stream, response)
}

/**
 * Returns the page of a material. `sha256` is the hash of the archive while an ad is edited, and the hash of the page
 * in a manifest.
 */
async function pageOf({ database: { db } }: Services, materialId: number, sha256: string) {
  const [page] = await db
    .select({ sha256: files.sha256, size: files.size })
    .from(adMaterials)
    .innerJoin(files, eq(files.id, adMaterials.pageFileId))
    .where(and(eq(adMaterials.id, materialId), or(eq(adMaterials.sha256, sha256), eq(files.sha256, sha256))))
  return page
}

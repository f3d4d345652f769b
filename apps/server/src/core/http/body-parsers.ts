import { isUtf8 } from 'node:buffer'
import { parse } from 'node:querystring'
import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { invalid } from './api-error.ts'

const REFUSAL = '请求内容的编码不正确，应为UTF-8'
const REPLACEMENT = '\uFFFD'

/** Parses JSON and form bodies. Refuses bodies that are not valid UTF-8, because their text would be changed silently. */
export function parseBodies(app: FastifyInstance, bodyLimit: number) {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (isUtf8(bytes)) void parseJson(request, bytes.toString(), done)
    else done(invalid(REFUSAL))
  })
  app.register(formbody, { bodyLimit, parser: parseForm })
}

function parseForm(body: string) {
  if (body.includes(REPLACEMENT) || !isDecodable(body)) throw invalid(REFUSAL)
  return { ...parse(body, '&', '=', { maxKeys: 0 }) }
}

/** Returns false when the escapes of a form are incomplete or not UTF-8. */
function isDecodable(text: string) {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

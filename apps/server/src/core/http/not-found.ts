import type { FastifyInstance } from 'fastify'
import type { Module } from './implement.ts'

/**
 * Responds 404 to unknown calls and 405 with `Allow` to other methods of known paths. `console-files.ts` serves pages.
 */
export function handleUnknownPaths(app: FastifyInstance, modules: readonly Module[]) {
  // Compiles hundreds of patterns only at the first unknown call.
  let patterns: ReturnType<typeof patternsOf> | undefined
  app.setNotFoundHandler((request, reply) => {
    const known = (patterns ??= patternsOf(modules))
    request.bodyCode = 404
    const path = request.url.split('?')[0] ?? ''
    const parts = path.split('/')
    const methods = [...new Set(known.flatMap(({ method, pattern }) => (matches(pattern, parts) ? [method] : [])))]
    if (methods.length) {
      request.bodyCode = 405
      reply.header('allow', methods.join(', '))
      return reply.code(405).send({ code: 405, msg: '请求方式不正确', data: null })
    }
    return reply.code(404).send({ code: 404, msg: '网络请求不存在!', data: null })
  })
}

const patternsOf = (modules: readonly Module[]) =>
  modules.flatMap(({ contract }) =>
    Object.values(contract).map(({ method, path }) => ({ method, pattern: path.split('/') })),
  )

const matches = (pattern: readonly string[], parts: readonly string[]) =>
  pattern.length === parts.length &&
  pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]))

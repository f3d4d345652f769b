import type { FastifyInstance } from 'fastify'
import type { Module } from './implement.ts'

/** Unknown calls answer 404, known paths under another method 405 with `Allow`. Pages are the console's matter (`static.ts`). */
export function answerUnknown(app: FastifyInstance, modules: readonly Module[]) {
  // Hundreds of patterns nobody needs before the first unknown call.
  let patterns: ReturnType<typeof patternsOf> | undefined
  app.setNotFoundHandler((request, reply) => {
    const known = (patterns ??= patternsOf(modules))
    const path = request.url.split('?')[0] ?? ''
    const methods = [...new Set(known.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))]
    if (methods.length) {
      reply.header('allow', methods.join(', '))
      return reply.code(405).send({ code: 405, msg: '请求方式不正确', data: null })
    }
    return reply.code(404).send({ code: 404, msg: '网络请求不存在!', data: null })
  })
}

const patternsOf = (modules: readonly Module[]) =>
  modules.flatMap(({ contract }) =>
    Object.values(contract).map(({ method, path }) => ({ method, pattern: patternOf(path) })),
  )

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/[.+*?^$(){}|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`)

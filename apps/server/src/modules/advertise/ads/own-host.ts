import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { readHost } from '@oms/contract/advertise/web-address.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'

/** Refuses a web address of the host that this request was sent to. */
export function assertForeignHost({ request }: Pick<Ctx, 'request'>, address: string) {
  const host = readHost(address)
  const own = [request.header('host'), request.header('x-forwarded-host')]
  if (own.some((name) => name !== undefined && readHost(`https://${name}`) === host))
    throw invalid(AD_MESSAGES.ownHost, 'linkUrl')
}

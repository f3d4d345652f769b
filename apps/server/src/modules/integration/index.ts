import { webhooks } from '@oms/contract/integration/webhook.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import {
  createEndpoint,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  pauseEndpoint,
  removeEndpoint,
  resendDelivery,
  resumeEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
} from './webhook.ts'

export const integrationModules: readonly Module[] = [
  implement(
    webhooks,
    {
      list: listEndpoints,
      get: getEndpoint,
      create: createEndpoint,
      update: updateEndpoint,
      remove: removeEndpoint,
      pause: pauseEndpoint,
      resume: resumeEndpoint,
      rotate: rotateEndpointSecret,
      test: testEndpoint,
      deliveries: listDeliveries,
      resend: resendDelivery,
    },
    { outsideTransaction: ['test'] },
  ),
]

/** Sends what a lost notification left behind. Events wake the sender at once. */
export function registerIntegrationJobs(services: Services) {
  services.jobs.schedule('webhooks', async () => services.webhooks.wake(), { title: '消息推送', cron: '25 * * * * *' })
}

// What later modules use.
export { insertOutboxEvent, publishOutboxEvent } from './outbox.ts'

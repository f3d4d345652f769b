import { agentContacts } from '@oms/contract/agent/devices/contact.ts'
import { implement } from '#core/http/implement.ts'
import {
  contactFeature,
  contactTargets,
  createContact,
  getContact,
  listContacts,
  removeContact,
  updateContact,
} from './contact.service.ts'

export const agentContactModule = implement(agentContacts, {
  list: listContacts,
  feature: contactFeature,
  targets: contactTargets,
  get: getContact,
  create: createContact,
  update: updateContact,
  remove: removeContact,
})

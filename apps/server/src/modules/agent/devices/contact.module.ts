import { agentContacts } from '@oms/contract/agent/devices/contact.ts'
import { implement } from '#core/http/implement.ts'
import {
  getContactFeature,
  listContactTargetOptions,
  createContact,
  getContact,
  listContacts,
  removeContact,
  updateContact,
} from './contact.ts'

export const agentContactModule = implement(agentContacts, {
  list: listContacts,
  feature: getContactFeature,
  targets: listContactTargetOptions,
  get: getContact,
  create: createContact,
  update: updateContact,
  remove: removeContact,
})

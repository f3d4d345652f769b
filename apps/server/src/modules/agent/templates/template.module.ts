import { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { implement } from '#core/http/implement.ts'
import { choices, voices } from '../agents/agent-choices.ts'
import { agentOptions } from '../devices/device-rows.ts'
import { getTemplate, listTemplates, previewTemplate } from './template-rows.ts'
import {
  createTemplate,
  disableTemplate,
  enableTemplate,
  makeTemplate,
  removeTemplate,
  updateTemplate,
} from './template-save.ts'

export const agentTemplateModule = implement(agentTemplates, {
  list: listTemplates,
  choices,
  voices,
  agents: agentOptions,
  get: getTemplate,
  preview: previewTemplate,
  create: createTemplate,
  make: makeTemplate,
  update: updateTemplate,
  remove: removeTemplate,
  enable: enableTemplate,
  disable: disableTemplate,
})

import { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { implement } from '#core/http/implement.ts'
import { listAgentFormOptions, listVoices } from '../agents/agent-form-options.ts'
import { listAgentOptions } from '../devices/device-rows.ts'
import { getTemplate, listAgentTemplates, previewTemplate } from './template-rows.ts'
import {
  createTemplate,
  disableTemplate,
  enableTemplate,
  makeTemplate,
  removeTemplate,
  updateTemplate,
} from './template-save.ts'

export const agentTemplateModule = implement(agentTemplates, {
  list: listAgentTemplates,
  choices: listAgentFormOptions,
  voices: listVoices,
  agents: listAgentOptions,
  get: getTemplate,
  preview: previewTemplate,
  create: createTemplate,
  make: makeTemplate,
  update: updateTemplate,
  remove: removeTemplate,
  enable: enableTemplate,
  disable: disableTemplate,
})

import { createProviderField, type ShippedProvider } from './shipped-provider.ts'

/** Providers of language models, memories, intents and knowledge bases. */
export const LANGUAGE_PROVIDERS: readonly ShippedProvider[] = [
  {
    type: 'LLM',
    code: 'openai',
    name: 'OpenAI兼容接口',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('model_name', '模型名称', 'string', { required: true }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('temperature', '温度', 'number', { min: 0, max: 2 }),
      createProviderField('max_tokens', '最大令牌数', 'integer', { min: 1 }),
      createProviderField('top_p', 'top_p', 'number', { min: 0, max: 1 }),
      createProviderField('top_k', 'top_k', 'integer', { min: -1 }),
      createProviderField('frequency_penalty', '频率惩罚', 'number', { min: -2, max: 2 }),
    ],
  },
  {
    type: 'LLM',
    code: 'AliBL',
    name: '阿里百炼接口',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('app_id', '应用ID'),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('is_no_prompt', '是否不使用本地prompt', 'boolean'),
      createProviderField('ali_memory_id', '记忆ID'),
    ],
  },
  {
    type: 'LLM',
    code: 'ollama',
    name: 'Ollama接口',
    fields: [
      createProviderField('model_name', '模型名称', 'string', { required: true }),
      createProviderField('base_url', '接口地址', 'string', { required: true }),
    ],
  },
  {
    type: 'LLM',
    code: 'dify',
    name: 'Dify接口',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('mode', '对话模式'),
    ],
  },
  {
    type: 'LLM',
    code: 'gemini',
    name: 'Gemini接口',
    fields: [
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('model_name', '模型名称', 'string', { required: true }),
      createProviderField('http_proxy', 'HTTP代理'),
      createProviderField('https_proxy', 'HTTPS代理'),
    ],
  },
  {
    type: 'LLM',
    code: 'coze',
    name: 'Coze接口',
    fields: [
      createProviderField('bot_id', '机器人ID'),
      createProviderField('user_id', '用户ID'),
      createProviderField('personal_access_token', '个人访问令牌', 'password', { secret: true }),
    ],
  },
  {
    type: 'LLM',
    code: 'fastgpt',
    name: 'FastGPT接口',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('variables', '变量', 'dict'),
    ],
  },
  {
    type: 'LLM',
    code: 'xinference',
    name: 'Xinference接口',
    fields: [
      createProviderField('model_name', '模型名称', 'string', { required: true }),
      createProviderField('base_url', '接口地址', 'string', { required: true }),
    ],
  },
  {
    type: 'VLLM',
    code: 'openai',
    name: 'OpenAI兼容接口',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('model_name', '模型名称', 'string', { required: true }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
    ],
  },
  {
    type: 'Memory',
    code: 'mem0ai',
    name: 'Mem0AI记忆',
    fields: [createProviderField('api_key', 'API密钥', 'password', { secret: true })],
  },
  {
    type: 'Memory',
    code: 'nomem',
    name: '无记忆',
    fields: [],
  },
  {
    type: 'Memory',
    code: 'mem_local_short',
    name: '本地短期记忆（总结记忆）',
    fields: [createProviderField('llm', '使用的LLM', 'string', { required: true })],
  },
  {
    type: 'Memory',
    code: 'powermem',
    name: 'PowerMem记忆',
    fields: [
      createProviderField('enable_user_profile', '记录用户画像', 'boolean'),
      createProviderField('llm_provider', 'LLM提供商'),
      createProviderField('llm_api_key', 'LLM API密钥', 'password', { secret: true }),
      createProviderField('llm_model', 'LLM模型'),
      createProviderField('openai_base_url', 'OpenAI基础URL'),
      createProviderField('embedding_provider', 'Embedding提供商'),
      createProviderField('embedding_api_key', 'Embedding API密钥', 'password', { secret: true }),
      createProviderField('embedding_model', 'Embedding模型'),
      createProviderField('embedding_openai_base_url', 'Embedding OpenAI基础URL'),
      createProviderField('embedding_dims', 'Embedding维度', 'integer', { min: 1 }),
      createProviderField('vector_store', '向量存储配置(JSON)', 'dict'),
    ],
  },
  {
    type: 'Memory',
    code: 'mem_report_only',
    name: '仅上报聊天记录（不总结记忆）',
    fields: [],
  },
  {
    type: 'Intent',
    code: 'nointent',
    name: '无意图识别',
    fields: [],
  },
  {
    type: 'Intent',
    code: 'intent_llm',
    name: '外挂的大模型意图识别',
    fields: [createProviderField('llm', '使用的LLM', 'string', { required: true })],
  },
  {
    type: 'Intent',
    code: 'function_call',
    name: '大模型自主函数调用',
    fields: [],
  },
  {
    type: 'RAG',
    code: 'ragflow',
    name: 'RAGFlow',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { required: true }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
    ],
  },
]

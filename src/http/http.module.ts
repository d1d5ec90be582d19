import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { OpenAiExceptionFilter } from './openai-exception.filter.js';

@Module({ providers: [{ provide: APP_FILTER, useClass: OpenAiExceptionFilter }] })
export class HttpModule {}
